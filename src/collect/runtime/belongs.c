/* SPDX-License-Identifier: Apache-2.0 */
/* For traced programs, and for spanloom where it traces others. */
#include "collect/runtime/belongs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *sl_belongs_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID",
                                        "FLUX_TASK_RANK"};
    const char *value = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !value; i++)
        value = secure_getenv(names[i]);
    return value;
}

bool sl_belongs_tells(const char *variable)
{
    static const char *const prefixes[] = {"PARSL_",
                                           "FLUX_JOB_ID=",
                                           "FLUX_TASK_RANK=",
                                           "FLUX_URI=",
                                           "LSB_JOBID=",
                                           "LSB_JOBINDEX=",
                                           "OMPI_COMM_WORLD_SIZE=",
                                           "PBS_JOBID=",
                                           "PMI_SIZE=",
                                           "SLURM_ARRAY_JOB_ID=",
                                           "SLURM_ARRAY_TASK_ID=",
                                           "SLURM_CLUSTER_NAME=",
                                           "SLURM_JOB_ID=",
                                           "SLURM_NODEID=",
                                           "SLURM_NTASKS=",
                                           "SLURM_PROCID=",
                                           "SLURM_STEP_ID=",
                                           "VINE_SANDBOX=",
                                           "VINE_TASK",
                                           "WORK_QUEUE_SANDBOX=",
                                           "WORK_QUEUE_TASK"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(variable, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}
