import 'server-only';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { NAME_MAX_LENGTH } from '#lib/api/session.ts';
import { phcPattern } from './password-hash.ts';

/** Names that are safe on a screen and in a log: letters, digits and a few punctuation marks. */
export const operatorNamePattern = new RegExp(`^[\\p{L}\\p{N}][\\p{L}\\p{N} ._@-]{0,${NAME_MAX_LENGTH - 1}}$`, 'u');

const operatorsFileSchema = z
  .strictObject({
    version: z.literal(1),
    operators: z.array(
      z.strictObject({
        name: z.string().regex(operatorNamePattern),
        password: z.string().regex(phcPattern, { error: 'must be an argon2id hash as made by npm run operator' }),
      }),
    ),
  })
  .refine(({ operators }) => new Set(operators.map(({ name }) => name)).size === operators.length, {
    error: 'names an operator twice',
  });

export type OperatorsFile = z.infer<typeof operatorsFileSchema>;

/** @throws Error where the file cannot be read or is not a valid file of operators */
export function readOperatorsFile(file: string): OperatorsFile {
  const text = readFileSync(file, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`${file} is not JSON; make it with: npm run operator -- add NAME`);
  }
  const parsed = operatorsFileSchema.safeParse(json);
  if (!parsed.success)
    throw new Error(
      `${file} is not a valid file of operators; correct it, or recreate it with npm run operator. Problems:\n${z.prettifyError(parsed.error)}`,
    );
  return parsed.data;
}

/** Replaces the file atomically, readable by its owner alone. */
export function writeOperatorsFile(file: string, content: OperatorsFile): void {
  const next = `${file}.${process.pid}.new`;
  writeFileSync(next, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(next, file);
}
