// The reference client as an oracle.
//
// stdin:  one JSON object a line: {"name", "payloads": [string, …], "input"?: RunAgentInput}, or with "frames": [base64, …]
//         in place of the payloads, for the binary binding
// stdout: one JSON object a line: {"name", "rejected": index | null, "message", "delivered": [[index, event], …],
//         "messages", "state", "warnings": [string, …]}
//
// Each payload goes out as one SSE event, or each frame as it is, and the client is given time to digest it before the next one, so that the
// index of the payload it stops at, and what each payload delivered, can be seen from outside.
import { createInterface } from 'node:readline';
import { HttpAgent } from '@ag-ui/client';

const TURNS = Number(process.env.ORACLE_TURNS ?? 6); // turns of the event loop a payload is given
const utf8 = new TextEncoder();
const turn = () => new Promise((resolve) => setImmediate(resolve));
const digest = async () => {
  for (let n = 0; n < TURNS; n++) await turn();
};

async function judge({ name, payloads, frames, input }) {
  const parts = frames ? frames.map((frame) => Buffer.from(frame, 'base64')) : payloads.map((one) => utf8.encode(`data: ${one}\n\n`));
  const type = frames ? 'application/vnd.ag-ui.event+proto' : 'text/event-stream';
  const delivered = [];
  const warnings = [];
  console.warn = (...words) => warnings.push(words.map(String).join(' ').slice(0, 300));
  let at = -1;
  let failed = false;
  let message = null;
  let wire;
  const body = new ReadableStream({ start: (controller) => { wire = controller; } });
  const agent = new HttpAgent({
    url: 'http://recorded.invalid/',
    threadId: input?.threadId ?? 't1',
    initialMessages: input?.messages ?? [],
    initialState: input?.state ?? {},
    fetch: async () => new Response(body, { headers: { 'content-type': type } }),
  });
  const onEvent = ({ event }) => {
    delivered.push([at, JSON.parse(JSON.stringify(event))]);
  };
  const run = agent.runAgent({ runId: input?.runId ?? 'run1' }, { onEvent }).catch((error) => {
    failed = true;
    message = String(error?.message ?? error).slice(0, 400);
  });
  await digest();
  for (const part of parts) {
    if (failed) break;
    at += 1;
    wire.enqueue(part);
    await digest();
  }
  const rejected = failed ? at : null;
  if (!failed) wire.close();
  await run;
  return { name, rejected, message, delivered, messages: agent.messages, state: agent.state, warnings };
}

console.error = () => {};
console.debug = () => {};
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() !== '') process.stdout.write(`${JSON.stringify(await judge(JSON.parse(line)))}\n`);
}
