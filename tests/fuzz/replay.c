/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target over an empty input and the files given: what fuzzing once found stays mended, with any compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file || fseek(file, 0, SEEK_END))
            return perror(argv[i]), 1;
        size_t size = (size_t)ftell(file);
        rewind(file);
        /* Exactly as large as the input, so that a read behind its end is seen. */
        uint8_t *data = malloc(size);
        if ((size && !data) || fread(data, 1, size, file) != size)
            return perror(argv[i]), 1;
        fclose(file);
        fprintf(stderr, "# %s\n", argv[i]);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    return 0;
}
