import { spawnSync } from 'node:child_process';

export interface Changed {
  /** As `main`, with the commit that it was compared to. */
  readonly since: string;
  /** Paths from the root, without deleted ones. */
  readonly files: readonly string[];
  readonly deleted: readonly string[];
  /** Has tracked files and new ones. */
  readonly all: readonly string[];
}

/**
 * Since the common ancestor with a branch, committed or not.
 * @param base default: the main branch of `origin`, or `main`
 * @throws Error without such a branch
 */
export function changedFiles(root: string, base = mainBranch(root)): Changed {
  const ancestor = git(root, 'merge-base', 'HEAD', base);
  if (ancestor === undefined)
    throw new Error(`There is no branch ${base} to compare with: name one with --base BRANCH.`);
  const from = ancestor.trim();
  const untracked = lines(git(root, 'ls-files', '-z', '--others', '--exclude-standard'));
  const named = (filter: string) => lines(git(root, 'diff', '-z', '--name-only', '--no-renames', filter, from));
  return {
    since: `${base} (${from.slice(0, 8)})`,
    files: [...new Set([...named('--diff-filter=d'), ...untracked])].sort(),
    deleted: named('--diff-filter=D').filter((file) => !untracked.includes(file)),
    all: [...new Set([...lines(git(root, 'ls-files', '-z')), ...untracked])],
  };
}

function mainBranch(root: string): string {
  return git(root, 'symbolic-ref', '--short', 'refs/remotes/origin/HEAD')?.trim() ?? 'main';
}

function git(root: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 1e9 });
  return status === 0 ? stdout : undefined;
}

function lines(output: string | undefined): readonly string[] {
  return output?.split('\0').filter((line) => line !== '') ?? [];
}
