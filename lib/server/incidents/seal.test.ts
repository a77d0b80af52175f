import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { signedZip } from './seal.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const KEY = { publicPem: '', sign: (bytes: Uint8Array) => sign(null, bytes, privateKey) };

async function bytesOf({ zip }: ReturnType<typeof signedZip>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of zip) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('each file of a signed ZIP is made when the one before is read, and has its sum', async () => {
  const made: string[] = [];
  const parts = (name: string) =>
    async function* () {
      made.push(name);
      yield 'one ';
      made.push(`${name} ends`);
      yield Buffer.from(name);
    };
  const signed = signedZip(new Date(0), KEY, { a: parts('a'), b: parts('b') });
  expect((await bytesOf(signed)).subarray(0, 2).toString()).toBe('PK');
  expect(made).toEqual(['a', 'a ends', 'b', 'b ends']);
  const sum = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(signed.sums()).toBe(`${sum('one a')}  a\n${sum('one b')}  b\n`);
});

test('a file that cannot be read ends the ZIP with its error', async () => {
  const failing = async function* () {
    yield 'begun';
    throw new Error('the database is lost');
  };
  await expect(bytesOf(signedZip(new Date(0), KEY, { failing }))).rejects.toThrow('the database is lost');
});
