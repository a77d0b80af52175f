import { connectionClause } from '#lib/text/connection-clause.ts';

const OF_FILES_AND_DEVICES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENODEV: 'no such device',
  ENXIO: 'no such device',
  EACCES: 'it may not be read by this user',
  EPERM: 'it may not be read by this user',
  EBUSY: 'another program uses it',
  EISDIR: 'it is a folder',
};

/** Why a feed's address, device or file cannot be read, completing "the feed is down: …". */
export function feedProblem(error: unknown): string {
  return connectionClause(error, 'it failed', (code) =>
    code.startsWith('HPE_')
      ? 'it does not speak HTTP: take another port, or another kind of address'
      : OF_FILES_AND_DEVICES[code],
  );
}
