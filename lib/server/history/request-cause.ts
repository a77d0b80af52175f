import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';

const holder = globalThis as { [causeSymbol]?: AsyncLocalStorage<string> };
const causeSymbol = Symbol.for('lookout.request-cause');

/** The cause is shared by the module graphs of instrumentation and route handlers. */
function cause(): AsyncLocalStorage<string> {
  holder[causeSymbol] ??= new AsyncLocalStorage();
  return holder[causeSymbol];
}

export function asCause<T>(requestId: string, run: () => T): T {
  return cause().run(requestId, run);
}

/** The cause's id; `undefined` for what is done for all viewers. */
export function causeId(): string | undefined {
  return cause().getStore();
}
