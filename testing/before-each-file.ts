import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';

// Commands of the service make files private; the next file of this process starts as a shell does.
process.umask(0o022);

// The modules of Next that hold a request find it here when they are first loaded.
Object.assign(globalThis, { AsyncLocalStorage });

// One seed repeats a whole run; `npm test` prints it.
if (process.env.TEST_SEED !== undefined) fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });
