// node append-until-killed.fixture.ts FOLDER RECORD BATCH
// Appends batches to the past in the folder, from this number on, as fast as it can until it is killed. Writes the number of each
// stored batch to the record.
import { appendFileSync } from 'node:fs';
import { EmbeddedPast } from './files/embedded-past.ts';
import { batchAt, observationsOf } from './recorded-batch.fixture.ts';

/** So that sealing, which is upkeep, goes on while batches are appended. */
const UPKEEP_EVERY = 5;

const [folder = '', record = '', first = ''] = process.argv.slice(2);
let batch = Number(first);
const log = (entry: string) => process.stderr.write(`${entry}\n`);
const past = await EmbeddedPast.open({ folder, now: () => batchAt(batch), log });
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
