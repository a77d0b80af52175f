// node append-until-killed.fixture.ts ADDRESS RECORD BATCH: appends to the past at this address, as JSON, batches from this one on as fast as it can, and writes the
// number of each to the record once it is written. Ends only when it is killed.
import { appendFileSync } from 'node:fs';
import { openPastAt } from './open-past-at.fixture.ts';
import { batchAt, observationsOf } from './recorded-batch.fixture.ts';

/** So that sealing, which is upkeep, goes on while batches are appended. */
const UPKEEP_EVERY = 5;

const [address = '', record = '', first = ''] = process.argv.slice(2);
let batch = Number(first);
const log = (entry: string) => process.stderr.write(`${entry}\n`);
const past = await openPastAt(JSON.parse(address), { now: () => batchAt(batch), log });
let upkeep = Promise.resolve();
for (; ; batch += 1) {
  past.append(observationsOf(batch));
  await past.flush();
  const { untimely, unstorable, unwritten } = past.state().dropped;
  if (untimely + unstorable + unwritten > 0) throw new Error('an observation was dropped');
  appendFileSync(record, `${batch}\n`);
  if (batch === Number(first)) process.stdout.write('appending\n');
  if (batch % UPKEEP_EVERY !== 0) continue;
  await upkeep;
  upkeep = past.maintain();
}
