import fc from 'fast-check';
import { measureFile } from './test-costs.ts';

// Commands of the service make files private; the next file of this process starts as a shell does.
process.umask(0o022);

fc.configureGlobal({
  // One seed repeats a whole run; `npm test` prints it.
  ...(process.env.TEST_SEED !== undefined && { seed: Number(process.env.TEST_SEED) }),
  // Of properties that name no number, 100 otherwise.
  ...(process.env.TEST_LONG === '1' && { numRuns: 400 }),
});

measureFile();
