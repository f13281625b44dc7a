// The server's API: requests with the account's token, and streams of JSON lines.

// Refusal is an answer of the server that says no. Anything else that goes wrong on the way is another kind of error.
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function refused(response) {
  let message = `The server answered ${response.status}.`;
  try {
    const body = await response.json();
    if (typeof body.error === "string") message = body.error;
  } catch {
    // the status says enough
  }
  return new Refusal(response.status, message);
}

const patience = 15000; // ms that an answer may take

// postJSON asks the page's own server something.
export async function postJSON(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(patience),
  });
  if (!response.ok) throw await refused(response);
  return response.json();
}

export async function getJSON(path) {
  const response = await fetch(path, { signal: AbortSignal.timeout(patience) });
  if (!response.ok) throw await refused(response);
  return response.json();
}

const longestLine = 1 << 20; // characters
const silence = 20000; // ms without a line, not even a blank one, after which a stream counts as lost

export class API {
  // token is the account's; kind is "board" for a person, "bot" to read along with a bot.
  constructor(token, kind) {
    this.headers = { Authorization: `Bearer ${token}` };
    this.base = `/api/${kind}/game/`;
  }

  async post(path, form = {}) {
    const response = await fetch(path, {
      method: "POST",
      headers: this.headers,
      body: new URLSearchParams(form),
      signal: AbortSignal.timeout(patience),
    });
    if (!response.ok) throw await refused(response);
    return response.json();
  }

  async get(path) {
    const response = await fetch(path, { headers: this.headers, signal: AbortSignal.timeout(patience) });
    if (!response.ok) throw await refused(response);
    return response.json();
  }

  // lines yields the JSON lines of a stream as they come, until the server ends it. A stream that falls silent is an error.
  // idle is the longest silence in ms; 0 waits for ever.
  async *lines(path, { signal, method = "GET", form, idle = silence }) {
    const stop = new AbortController();
    const end = () => stop.abort();
    signal.addEventListener("abort", end);
    let timer = 0;
    const wait = () => {
      clearTimeout(timer);
      if (idle) timer = setTimeout(end, idle);
    };
    try {
      wait();
      const response = await fetch(path, {
        method,
        headers: this.headers,
        body: form && new URLSearchParams(form),
        signal: stop.signal,
      });
      if (!response.ok) throw await refused(response);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        wait();
        text += value;
        if (text.length > longestLine) throw new Error("a line of the stream is too long");
        const complete = text.split("\n");
        text = complete.pop();
        for (const line of complete) if (line.trim()) yield JSON.parse(line);
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      stop.abort();
    }
  }
}
