import { AsyncLocalStorage } from 'node:async_hooks';
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import fc from 'fast-check';
import { measureFile } from './test-costs.ts';

// Commands of the service make files private, for the whole process: the next file starts as a shell does.
process.umask(0o022);
// A Lookout that a test starts sets it for the whole process. Node's own default, in ms:
setDefaultAutoSelectFamilyAttemptTimeout(250);

// The modules of Next that hold a request find it here when they are first loaded.
Object.assign(globalThis, { AsyncLocalStorage });

// One seed repeats a whole run; `npm test` prints it.
if (process.env.TEST_SEED !== undefined) fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });
// Of properties that name no number: 100 otherwise.
if (process.env.TEST_LONG === '1') fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: 400 });

measureFile();
