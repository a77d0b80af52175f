import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { makeKeyOf } from '../fix.ts';
import type { FeedSettings, ReadFeeds, Surroundings } from './feed.ts';
import type { FeedHome } from './feed-kind.ts';
import { type FeedSetOptions, type FeedWithHealth, makeFeedSet, type ReceivingFeed } from './feed-set.ts';
import { LargeAnswers } from './large/large-answers.ts';
import { requestsADay } from './read-api-kind.ts';
import { readFeedsFile } from './read-feeds-file.ts';
import { feedProblem } from './transports/feed-problem.ts';

export type ReceiversChoice =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'list'; readonly feeds: readonly FeedSettings[] };

export interface OpenFeedsOptions {
  readonly choice: ReceiversChoice;
  readonly secret: Uint8Array;
  readonly deliver: FeedSetOptions['deliver'];
  readonly home?: FeedHome | undefined;
  readonly surroundings: Surroundings;
  readonly log: (entry: string) => void;
}

interface OpenFeeds {
  statuses(): readonly FeedWithHealth[];
  lives(): readonly ReceivingFeed[];
  problems(): readonly string[];
  /** Stops deliveries at once. Never rejects. */
  close(): Promise<void>;
}

/**
 * Runs the feeds of a list, or of a file that is followed. A valid change of the file applies within a second; an
 * invalid one changes nothing but `problems`.
 * @throws Error that lists every problem of the file
 */
export async function openFeeds(options: OpenFeedsOptions): Promise<OpenFeeds> {
  const { choice, secret, deliver, home, surroundings, log } = options;
  const { feeds, file } =
    choice.kind === 'list' ? { feeds: choice.feeds, file: undefined } : await requireFeedsFile(choice.path);
  const largeAnswers = new LargeAnswers(secret);
  const set = makeFeedSet({ keyOf: makeKeyOf(secret), deliver, largeAnswers, surroundings, home });
  logCosts(feeds, log);
  set.run(feeds);
  const following =
    file &&
    followFeedsFile({
      ...file,
      changed(changed) {
        log(`${file.path} changed: ${changed.length} feeds`);
        logCosts(changed, log);
        set.run(changed);
      },
      refused(problems) {
        log(`${file.path} changed, and is not used as it is: ${problems.join('; ')}`);
      },
      surroundings,
    });
  return {
    statuses: set.statuses,
    lives: set.lives,
    problems: () => following?.problems() ?? [],
    async close() {
      await following?.stop();
      const stopped = set.stop();
      await largeAnswers.close();
      await stopped;
    },
  };
}

/** Says what feeds cost, before they start. */
function logCosts(feeds: readonly FeedSettings[], log: (entry: string) => void): void {
  for (const { id, readApi } of feeds) {
    if (!readApi) continue;
    const { seconds, requestsPerDay } = readApi;
    log(
      `${id}: reading every ${seconds} s needs ${requestsADay(readApi)} requests a day or more; ${requestsPerDay} are allowed`,
    );
  }
}

async function requireFeedsFile(path: string) {
  const { read, version } = await loadFeedsFile(path);
  if (read.ok) return { feeds: read.feeds, file: { path, version } };
  throw new Error(read.problems.map((problem) => `--feeds ${path}: ${problem}`).join('\n'));
}

const CHECK_EVERY_MS = SECOND_MS;

export async function loadFeedsFile(path: string): Promise<{ readonly read: ReadFeeds; readonly version: string }> {
  // The version is read first, so that a concurrent change is a later one.
  const version = await versionOf(path);
  try {
    const read = withPathsFrom(dirname(path), readFeedsFile(await readFile(path, 'utf8')));
    const problems = read.ok ? await settingFileProblems(read.feeds) : [];
    return { read: problems.length === 0 ? read : { ok: false, problems }, version };
  } catch (error) {
    return { read: { ok: false, problems: [feedProblem(error)] }, version };
  }
}

function withPathsFrom(folder: string, read: ReadFeeds): ReadFeeds {
  if (!read.ok) return read;
  const from = (path: string | undefined) => path && resolve(folder, path);
  return {
    ok: true,
    feeds: read.feeds.map((feed) => ({
      ...feed,
      passwordFile: from(feed.passwordFile),
      caFile: from(feed.caFile),
      readApi: feed.readApi && { ...feed.readApi, keyFile: resolve(folder, feed.readApi.keyFile) },
    })),
  };
}

interface FollowOptions {
  readonly path: string;
  readonly version: string;
  readonly changed: (feeds: readonly FeedSettings[]) => void;
  readonly refused: (problems: readonly string[]) => void;
  readonly surroundings: Surroundings;
}

export interface FeedsFile {
  /** Problems of the present file, while the feeds of its last valid version run. */
  problems(): readonly string[];
  stop(): Promise<void>;
}

export function followFeedsFile({ path, version, changed, refused, surroundings }: FollowOptions): FeedsFile {
  let seen = version;
  let problems: readonly string[] = [];
  let isStopped = false;
  let checking = Promise.resolve();
  let cancelNext = checkLater();

  function checkLater(): () => void {
    return surroundings.after(CHECK_EVERY_MS, () => {
      checking = check();
    });
  }

  async function check(): Promise<void> {
    if ((await versionOf(path)) !== seen) {
      const loaded = await loadFeedsFile(path);
      seen = loaded.version;
      if (isStopped) return;
      problems = loaded.read.ok ? [] : loaded.read.problems;
      if (loaded.read.ok) changed(loaded.read.feeds);
      else refused(problems);
    }
    if (!isStopped) cancelNext = checkLater();
  }

  return {
    problems: () => problems,
    async stop() {
      isStopped = true;
      cancelNext();
      await checking;
    },
  };
}

async function versionOf(path: string): Promise<string> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch {
    return 'missing';
  }
}

/** Passwords and certificates that the settings name, but that cannot be used. */
async function settingFileProblems(feeds: readonly FeedSettings[]): Promise<string[]> {
  const checked = feeds.map(async ({ passwordFile, caFile, readApi }, index) => [
    ...(await fileProblems(`feeds[${index}].key_file`, readApi?.keyFile, (text) => secretProblem(text, 'key'))),
    ...(await fileProblems(`feeds[${index}].password_file`, passwordFile, (text) => secretProblem(text, 'password'))),
    ...(await fileProblems(`feeds[${index}].ca_file`, caFile, certificatesProblem)),
  ]);
  return (await Promise.all(checked)).flat();
}

async function fileProblems(
  setting: string,
  path: string | undefined,
  problemOf: (text: string) => string | undefined,
): Promise<string[]> {
  if (path === undefined) return [];
  try {
    // Reading a pipe would block.
    if (!(await stat(path)).isFile()) return [`${setting}: ${path} is not a file`];
    const problem = problemOf(await readFile(path, 'utf8'));
    return problem === undefined ? [] : [`${setting}: ${path} ${problem}`];
  } catch (error) {
    return [`${setting}: ${path} cannot be read: ${feedProblem(error)}`];
  }
}

function secretProblem(text: string, what: 'key' | 'password'): string | undefined {
  const secret = text.trim();
  if (secret === '') return `is empty: write the ${what} into it`;
  return /[\r\n]/.test(secret) ? `has several lines: write the ${what} alone` : undefined;
}

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

function certificatesProblem(text: string): string | undefined {
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) return 'has no certificate in PEM: it begins with -----BEGIN CERTIFICATE-----';
  return certificates.every(isCertificate) ? undefined : 'has a certificate that cannot be read';
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
