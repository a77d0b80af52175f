import { expect, test, vi } from 'vitest';
import { LookoutRequestError } from './fetch-lookout.ts';

interface Question {
  readonly ask: 'fine' | 'network' | 'defect' | 'wait';
}
interface Answer {
  readonly kind: 'answer';
  readonly id: number;
}

/** A worker's global scope. */
class Scope extends EventTarget {
  onmessage: ((event: { data: object }) => void) | undefined;
  readonly posted: object[] = [];
  postMessage(message: object): void {
    this.posted.push(message);
  }
}

test('a module that fails before it serves is reported as dead; then every request has one last reply of its own kind', async () => {
  const scope = new Scope();
  vi.stubGlobal('self', scope);
  const { servePage } = await import('./page-port.ts');
  const reject = (reason: Error) => scope.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason }));
  reject(new TypeError('crypto.randomUUID is not a function'));
  expect(scope.posted.splice(0)).toMatchObject([
    { kind: 'died', defect: { message: 'TypeError: crypto.randomUUID is not a function' } },
  ]);

  servePage<Question, Answer>(async ({ ask }, { id, signal, reply }) => {
    if (ask === 'network') throw new LookoutRequestError('refused', { status: 418, code: 'teapot', said: 'No.' });
    if (ask === 'defect') throw new TypeError('stream is not async iterable');
    if (ask === 'wait') await new Promise((_, left) => signal.addEventListener('abort', left));
    reply({ kind: 'answer', id });
  });
  const send = (message: object) => scope.onmessage?.({ data: message });
  send({ ask: 'fine', id: 1 });
  send({ ask: 'network', id: 2 });
  send({ ask: 'defect', id: 3 });
  send({ ask: 'wait', id: 4 });
  send({ kind: 'abort', id: 4 });
  send({ kind: 'ping' });
  await vi.waitFor(() => expect(scope.posted).toHaveLength(4));
  const byId = scope.posted.toSorted((a, b) => Number(Reflect.get(a, 'id') ?? 9) - Number(Reflect.get(b, 'id') ?? 9));
  expect(byId).toMatchObject([
    { kind: 'answer', id: 1 },
    { kind: 'failed', id: 2, why: 'refused', status: 418, code: 'teapot', said: 'No.', defect: undefined },
    { kind: 'failed', id: 3, why: 'unreadable', defect: { message: 'TypeError: stream is not async iterable' } },
    { kind: 'alive' },
  ]);
  scope.posted.length = 0;
  reject(new Error('a stray one'));
  expect(scope.posted).toMatchObject([{ kind: 'odd' }]);
  vi.unstubAllGlobals();
});
