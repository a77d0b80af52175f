// node spend-until-killed.fixture.ts ACCOUNTS_FILE ACCOUNT_ID RECORD
// Spends until killed, and appends one byte to RECORD for each granted request.

import { openSync, writeSync } from 'node:fs';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { serviceNow } from '../../service-now.ts';
import { ALL_SCOPES } from '../account.ts';
import { openSqliteAccess } from './sqlite-access.ts';

const [file = '', id = '', recordFile = ''] = process.argv.slice(2);
const access = openSqliteAccess(file, { now: serviceNow, log: (entry) => process.stderr.write(`${entry}\n`) });
const record = openSync(recordFile, 'a');
const account = {
  id,
  grant: { active: true, expiresAt: null },
  scopes: new Set(ALL_SCOPES),
  lookbackDays: 30,
  allowance: { perMinute: 1_000_000_000, perDay: 1_000_000_000 },
};

async function spend(): Promise<never> {
  for (;;) {
    const { granted } = await access.quota.spend(account);
    if (granted) writeSync(record, '.');
    await nextLoop();
  }
}

process.stdout.write('.');
await Promise.all([spend(), spend(), spend()]);
