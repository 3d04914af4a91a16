// The worker in which Python runs.

/**
 * Open it. `listener` hears what it says, or { kind: "broken", text } where it could not be loaded; of one that was
 * ended nothing is heard, though Chromium may still tell of an error that ending it has caused.
 */
export function openPython(listener) {
  const worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
  let isHeard = true;
  const tell = (told) => isHeard && listener(told);
  worker.onmessage = ({ data }) => tell(data);
  worker.onerror = ({ message }) => tell({ kind: "broken", text: message || "worker.mjs could not be loaded" });
  return {
    post: (message) => worker.postMessage(message),
    end() {
      isHeard = false;
      worker.terminate();
    },
  };
}
