// npm run backup -- FOLDER: copies the files of DATA_DIR that must not be lost, whole, while Lookout runs.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

const [target] = process.argv.slice(2);
const dataDir = resolve(process.env.DATA_DIR?.trim() || 'data');
const operatorsFile = process.env.OPERATORS_FILE?.trim();
if (target === undefined || !existsSync(dataDir)) {
  process.stderr.write(
    `usage: npm run backup -- FOLDER, with DATA_DIR set; DATA_DIR is ${dataDir}${existsSync(dataDir) ? '' : ', which does not exist'}\n`,
  );
  process.exit(1);
}
const folder = resolve(process.env.INIT_CWD ?? '.', target);
if (existsSync(folder) && readdirSync(folder).length > 0) {
  process.stderr.write(`${folder} is not empty: name a new folder for each backup.\n`);
  process.exit(1);
}
mkdirSync(folder, { recursive: true, mode: 0o700 });

/** The ledger is open in one process alone, and what it says of yesterday is worth nothing; the cache of the past can be loaded again. */
const databases = ['views.sqlite', 'audit.sqlite', 'sessions.sqlite'];
for (const name of databases) {
  const source = join(dataDir, name);
  if (!existsSync(source)) continue;
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
  await backup(database, join(folder, name));
  database.close();
  chmodSync(join(folder, name), 0o600);
  process.stdout.write(`${name}\n`);
}
const files = [
  [join(dataDir, 'session-secret'), 'session-secret'],
  ...(operatorsFile ? [[resolve(operatorsFile), 'operators.json'] as const] : []),
] as const;
for (const [source, name] of files) {
  if (!existsSync(source)) continue;
  copyFileSync(source, join(folder, name));
  chmodSync(join(folder, name), 0o600);
  process.stdout.write(`${name}\n`);
}
process.stdout.write(`The backup is in ${folder}. It contains secrets: keep it as you keep the key.\n`);
