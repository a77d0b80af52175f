import type { StoreCommands } from '#lib/server/redis/model-fleet.fixture.ts';
import { REPLACE_LEDGER } from '#lib/server/redis/stored-ledger.ts';

/** A server for nothing but shared ledgers, in this process: what a ledger does with Redis, at once and without a Redis. */
export function modelStore(): StoreCommands {
  const hashes = new Map<string, Map<string, string>>();
  const read = (key: string, fields: readonly string[]) => fields.map((field) => hashes.get(key)?.get(field) ?? null);
  const write = (key: string, pairs: readonly string[]) => {
    const hash = hashes.get(key) ?? new Map<string, string>();
    hashes.set(key, hash);
    for (let index = 0; index < pairs.length; index += 2) hash.set(pairs[index] as string, pairs[index + 1] as string);
  };
  return {
    async send(args) {
      const [command, key, ...rest] = args.map(String) as [string, string, ...string[]];
      if (command === 'HMGET') return read(key, rest);
      if (command === 'HSET') return write(key, rest);
      if (command === 'DEL') return hashes.delete(key) ? 1 : 0;
      throw new Error(`the model of the store knows no ${command}`);
    },
    async run(script, [key = ''], args) {
      if (script !== REPLACE_LEDGER) throw new Error('the model of the store knows no such script');
      const [before, stamp, text] = args.map(String) as [string, string, string];
      const found = read(key, ['stamp', 'text']);
      if ((found[0] ?? '') !== before) return found;
      write(key, ['stamp', stamp, 'text', text]);
      return 1;
    },
  };
}
