import 'server-only';

/**
 * Before all keys: whose they are, and the version of what is in them. In braces, so that all of them are in one slot of a cluster and one
 * script can use several.
 */
const KEY_PREFIX = '{lookout:1}';

export function redisKey(...parts: readonly string[]): string {
  return [KEY_PREFIX, ...parts].join(':');
}
