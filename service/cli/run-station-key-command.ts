import { keyDigest } from '../accounts/issue-key.ts';
import { makeKeyText } from '../accounts/key-text.ts';
import { CommandArguments } from './read-arguments.ts';
import type { CommandResult } from './run-command.ts';

const OPTIONS = { json: { type: 'boolean' } } as const;

/** Stored nowhere: the file of feeds has its digest. */
export function runStationKeyCommand(args: readonly string[]): CommandResult {
  const given = new CommandArguments('station-key', '', OPTIONS, args);
  if (given.problems.length > 0) return { ok: false, exitCode: 2, problems: given.problems };
  const key = makeKeyText();
  const digest = Buffer.from(keyDigest(key)).toString('hex');
  if (given.flag('json')) {
    return { ok: true, output: `${JSON.stringify({ station_key: key, key_sha256: digest })}\n` };
  }
  const lines = [
    `The key, for the station: ${key}`,
    'It is not shown again. In the file of feeds write, with a name of your own:',
    `{"id":"hill","url":"push://hill","key_sha256":"${digest}"}`,
  ];
  return { ok: true, output: `${lines.join('\n')}\n` };
}
