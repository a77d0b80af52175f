// npm run restore -- FOLDER: puts a backup in the place of a Lookout that does not run.

import { commandText } from '#lib/commands/command-text.ts';
import { VERSION_LINE } from '#lib/version/lookout-version.ts';
import { failureText } from './backup/backup-form.ts';
import { continueRestore, RestoreUnfinished, restoreBackup } from './backup/restore-backup.ts';
import {
  callersPath,
  readCommandLine,
  readDatabase,
  readDataDir,
  readSettingsFile,
  stop,
} from './setup/command-line.ts';
import { endAfterVersion } from './setup/version-option.ts';

endAfterVersion();

process.umask(0o077);

const form = (args: string) => commandText('restore', args.padEnd(12));
const usage = `${VERSION_LINE}${form('FOLDER')} restores a backup into DATA_DIR, or into the database of DATABASE_URL; both must be empty
${form('--continue')} finishes a restore that was killed while it put files in place
  --set-aside                   moves present data away first: to DATA_DIR/replaced-TIME, or to a schema replaced_time
  --settings FILE               reads DATA_DIR and DATABASE_URL from a file such as /etc/lookout/lookout.env
Stop Lookout first. Nothing changes unless the backup is whole. Exit code: 0 if it is restored, 1 otherwise.
`;

const { values, positionals } = readCommandLine(usage, {
  continue: { type: 'boolean' },
  'set-aside': { type: 'boolean' },
  settings: { type: 'string' },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const [given, ...rest] = positionals;
if (values.continue ? given !== undefined || values['set-aside'] : given === undefined || rest.length > 0) stop(usage);
if (values.settings !== undefined) readSettingsFile(values.settings);
const dataDir = readDataDir();

try {
  if (given === undefined) {
    if (!continueRestore(dataDir)) stop(`There is no restore to finish in ${dataDir}.`);
    say(`The restore into ${dataDir} is finished.`);
  } else {
    const database = readDatabase();
    const options = { folder: callersPath(given), dataDir, database, setAside: values['set-aside'] === true };
    const { manifest, aside } = await restoreBackup(options);
    const rows = Object.entries(manifest.database.rows).filter(([, count]) => count > 0);
    say(`Restored the backup of ${manifest.made}, made by Lookout ${manifest.lookout}`);
    say(`Rows: ${rows.map(([table, count]) => `${table} ${count}`).join(', ')}`);
    for (const line of manifest.not_taken) say(`Not in the backup: ${line}`);
    for (const place of aside) say(`The data from before is in ${place}. Delete it when you do not need it any more.`);
  }
  say('A copy that runs while the original runs sends its alarms a second time, and spends the same account.');
} catch (error) {
  stop(
    error instanceof RestoreUnfinished
      ? error.message
      : `Nothing was restored: ${failureText(error, 'Then restore again')}`,
  );
}
