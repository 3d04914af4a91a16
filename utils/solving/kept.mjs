// What a reader wrote, kept in this browser: [name of the exercise] → { source, passed, judged }. `passed` is the source
// that passed last, and `judged` has what was said of the one that was run last.

const TABLE = "answers";
// of this site alone: another course may lie on the same host
const DATABASE = `solving ${new URL(".", import.meta.url).pathname}`;
const channel = new BroadcastChannel(DATABASE);

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let connection;

async function opened() {
  const request = indexedDB.open(DATABASE);
  request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
  return settled(request);
}

async function table(mode) {
  connection ??= opened();
  return (await connection).transaction(TABLE, mode).objectStore(TABLE);
}

/** The answers of these exercises, as far as they are kept: a Map. Rejects where the browser keeps nothing. */
export async function answersOf(names) {
  const answers = await table("readonly");
  const found = await Promise.all(names.map(async (name) => [name, await settled(answers.get(name))]));
  return new Map(found.filter(([, answer]) => answer));
}

/** `listener` is told the name and the answer whenever one is kept in another tab. */
export function hearOfOthers(listener) {
  channel.onmessage = ({ data }) => listener(data.name, data.answer);
}

/** Keep an answer. Rejects where the browser keeps nothing. */
export async function keep(name, answer) {
  const answers = await table("readwrite");
  await settled(answers.put(answer, name));
  channel.postMessage({ name, answer });
}
