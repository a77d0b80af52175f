import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

/** Listens, and never accepts: its queue is full, so the system drops further connections without an answer. */
const PROGRAM = `
const { workerData, parentPort } = require('node:worker_threads');
require('node:net').createServer().listen({ ...workerData, backlog: 1 }, () => {
  parentPort.postMessage('listens');
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
});
`;

/** More than the queue holds. */
const FILLING = 8;

/** An address that answers no attempt to connect. */
export async function listenDeaf(host: string, port: number): Promise<{ close(): Promise<void> }> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: { host, port } });
  await once(worker, 'message');
  const sockets = Array.from({ length: FILLING }, () => connect(port, host).on('error', () => undefined));
  await once(sockets[0]!, 'connect');
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await worker.terminate();
    },
  };
}
