import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { drainOf } from './listening.ts';

async function startServer() {
  const answers: ServerResponse[] = [];
  const server = createServer((_, response) => {
    response.write('begun;');
    answers.push(response);
  });
  const drain = drainOf(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (agent?: Agent) => {
    const [answer] = await once(get({ port, host: '127.0.0.1', agent }), 'response');
    return answer as IncomingMessage;
  };
  return { server, drain, answers, ask };
}

test('lets answers under way end, closes idle connections, and accepts no new ones', async () => {
  const { server, drain, answers, ask } = await startServer();
  const agent = new Agent({ keepAlive: true });
  const before = await ask(agent);
  answers[0]?.end();
  await text(before);
  const slow = await ask();
  const drained = drain(60_000);
  await expect(ask()).rejects.toThrow(/ECONNREFUSED/);
  await expect(ask(agent)).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
  answers[1]?.end('ended');
  expect(await text(slow)).toBe('begun;ended');
  await drained;
  expect(server.listening).toBe(false);
});

test('an answer that was ended is not cut off while its reader is slow', async () => {
  const { drain, answers, ask } = await startServer();
  const agent = new Agent({ keepAlive: true });
  const slow = await ask(agent);
  slow.pause();
  answers[0]?.end('x'.repeat(20_000_000));
  const drained = drain(60_000);
  // Longer than a round of looking for idle connections.
  await expect(ask()).rejects.toThrow(/ECONNREFUSED/);
  expect((await text(slow)).length).toBe(20_000_006);
  await drained;
  agent.destroy();
});

test('an answer that takes longer is broken off, and not taken for the whole', async () => {
  const { drain, ask } = await startServer();
  const endless = await ask();
  await drain(50);
  await expect(text(endless)).rejects.toThrow('aborted');
});
