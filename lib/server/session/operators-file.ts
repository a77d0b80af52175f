import 'server-only';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { ROLES } from '#lib/api/people/permission.ts';
import { NAME_MAX_LENGTH } from '#lib/api/people/session.ts';
import { phcPattern } from './password-hash.ts';

/** Names that are safe on a screen and in a log: letters, digits and a few punctuation marks. */
export const operatorNamePattern = new RegExp(`^[\\p{L}\\p{N}][\\p{L}\\p{N} ._@-]{0,${NAME_MAX_LENGTH - 1}}$`, 'u');

const VERSION = 2;
/** How long a change waits for one of another process; each takes milliseconds. */
const LOCK_TIMEOUT_MS = 5000;

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, { error: 'must be base64url' });

const passkeySchema = z.strictObject({
  /** The credential's id, as the authenticator gave it. */
  id: base64url.max(2048),
  /** COSE, as the authenticator gave it; public. */
  public_key: base64url.max(8192),
  /** What the operator calls it. */
  name: z.string().min(1).max(NAME_MAX_LENGTH),
  transports: z.array(z.string().max(32)).max(16),
  added_at: z.iso.datetime(),
});

const operatorSchema = z.strictObject({
  name: z.string().regex(operatorNamePattern),
  role: z.enum(ROLES),
  /** Without it, the operator signs in by passkey alone. */
  password: z.string().regex(phcPattern, { error: 'must be an argon2id hash as made by npm run operator' }).optional(),
  /** Until when a password that an admin made has to be changed, before anything else. */
  initial_until: z.iso.datetime().optional(),
  passkeys: z.array(passkeySchema).max(20),
});
export type OperatorEntry = z.infer<typeof operatorSchema>;

const operatorsFileSchema = z
  .strictObject({ version: z.literal(VERSION), operators: z.array(operatorSchema) })
  .refine(({ operators }) => isUnique(operators.map(({ name }) => name)), { error: 'names an operator twice' })
  .refine(({ operators }) => isUnique(operators.flatMap(({ passkeys }) => passkeys.map(({ id }) => id))), {
    error: 'has a passkey twice',
  });

export type OperatorsFile = z.infer<typeof operatorsFileSchema>;

export class FileNotWritable extends Error {
  constructor(file: string, cause: unknown) {
    super(
      `${file} cannot be written (${cause instanceof Error ? cause.message : String(cause)}); nothing was changed`,
      {
        cause,
      },
    );
  }
}

function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** @throws Error where the file cannot be read or is not a valid file of operators */
export function readOperatorsFile(file: string): OperatorsFile {
  const text = readFileSync(file, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`${file} is not JSON; make it with: npm run operator -- add NAME`);
  }
  if (z.object({ version: z.literal(1) }).safeParse(json).success)
    throw new Error(
      `${file} is of version 1, which has no roles. Move it away and add everybody anew: npm run operator -- add NAME --role admin`,
    );
  const parsed = operatorsFileSchema.safeParse(json);
  if (!parsed.success)
    throw new Error(
      `${file} is not a valid file of operators; correct it, or recreate it with npm run operator. Problems:\n${z.prettifyError(parsed.error)}`,
    );
  return parsed.data;
}

/**
 * Replaces the file by what `change` makes of it: atomically, readable by its owner alone, and under a lock that every process
 * that changes it takes. A file that is missing counts as one without operators.
 * @returns what was written
 * @throws FileNotWritable where nothing can be written; Error where the file is not valid, or what `change` throws. The file is
 * then as it was
 */
export function changeOperatorsFile(file: string, change: (operators: readonly OperatorEntry[]) => OperatorEntry[]) {
  const target = existsSync(file) ? realpathSync(file) : file;
  const lock = takeLock(target);
  try {
    const before = existsSync(target) ? readOperatorsFile(target).operators : [];
    const after = operatorsFileSchema.parse({ version: VERSION, operators: change(before) });
    replaceFile(target, `${JSON.stringify(after, undefined, 2)}\n`);
    return after;
  } finally {
    lock.close();
  }
}

/** The lock of a database beside the file: the system releases it however its process ends. */
function takeLock(file: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(`${file}.lock`, { timeout: LOCK_TIMEOUT_MS });
    lock.exec('begin immediate');
    return lock;
  } catch (error) {
    lock?.close();
    throw new FileNotWritable(file, error);
  }
}

function replaceFile(file: string, text: string): void {
  const next = `${file}.${process.pid}.new`;
  try {
    const handle = openSync(next, 'w', 0o600);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw new FileNotWritable(file, error);
  }
}
