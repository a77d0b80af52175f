// node append-until-killed.fixture.ts FOLDER RECORD BATCH
// Writes the number of each stored batch to RECORD.
import { appendFileSync } from 'node:fs';
import { EmbeddedPast } from './files/embedded-past.ts';
import { batchAt, observationsOf } from './recorded-batch.fixture.ts';

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
