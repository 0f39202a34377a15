// SPDX-License-Identifier: Apache-2.0
// The bundle is kept packed, which makes each file half a megabyte smaller.
(async () => {
    const packed = Uint8Array.from(atob(document.getElementById("bundle").textContent), c => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.body.append(script);
})().catch(error => {
    document.getElementById("messages").textContent = `This browser is too old for this plot: ${error}`;
});
