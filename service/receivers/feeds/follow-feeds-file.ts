import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Surroundings } from './feed.ts';
import type { FeedSettings, ReadFeeds } from './feed-settings.ts';
import { readFeedsFile } from './read-feeds-file.ts';
import { settingFileProblems } from './setting-files.ts';
import { connectionProblem } from './transports/connection-problem.ts';

const LOOK_EVERY_MS = SECOND_MS;

export interface LoadedFeedsFile {
  readonly read: ReadFeeds;
  readonly version: string;
}

export async function loadFeedsFile(path: string): Promise<LoadedFeedsFile> {
  // Before reading, so that a concurrent change is a later version.
  const version = await versionOf(path);
  try {
    const read = withPathsFrom(dirname(path), readFeedsFile(await readFile(path, 'utf8')));
    const problems = read.ok ? await settingFileProblems(read.feeds) : [];
    return { read: problems.length === 0 ? read : { ok: false, problems }, version };
  } catch (error) {
    return { read: { ok: false, problems: [connectionProblem(error)] }, version };
  }
}

function withPathsFrom(folder: string, read: ReadFeeds): ReadFeeds {
  if (!read.ok) return read;
  const from = (path: string | undefined) => path && resolve(folder, path);
  return {
    ok: true,
    feeds: read.feeds.map((feed) => ({ ...feed, passwordFile: from(feed.passwordFile), caFile: from(feed.caFile) })),
  };
}

export interface FollowOptions {
  readonly path: string;
  readonly version: string;
  readonly changed: (feeds: readonly FeedSettings[]) => void;
  readonly refused: (problems: readonly string[]) => void;
  readonly surroundings: Surroundings;
}

export interface FeedsFile {
  /** Of the present file, while the feeds of its last valid version run. */
  problems(): readonly string[];
  stop(): Promise<void>;
}

export function followFeedsFile({ path, version, changed, refused, surroundings }: FollowOptions): FeedsFile {
  let seen = version;
  let problems: readonly string[] = [];
  let isStopped = false;
  let looking = Promise.resolve();
  let cancelNext = lookLater();

  function lookLater(): () => void {
    return surroundings.after(LOOK_EVERY_MS, () => {
      looking = look();
    });
  }

  async function look(): Promise<void> {
    if ((await versionOf(path)) !== seen) {
      const loaded = await loadFeedsFile(path);
      seen = loaded.version;
      if (isStopped) return;
      problems = loaded.read.ok ? [] : loaded.read.problems;
      if (loaded.read.ok) changed(loaded.read.feeds);
      else refused(problems);
    }
    if (!isStopped) cancelNext = lookLater();
  }

  return {
    problems: () => problems,
    async stop() {
      isStopped = true;
      cancelNext();
      await looking;
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
