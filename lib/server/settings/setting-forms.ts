import 'server-only';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The problem follows the setting's name. */
export type SettingProblem<Settings> = readonly [setting: keyof Settings & string, problem: string];

/** Empty counts as not set: shells and compose files clear settings that way. */
export const optionalText = z
  .string()
  .optional()
  .transform((text) => (text?.trim() ? text.trim() : undefined));

export function optionalUrl(what: string) {
  return optionalText.refine((text) => text === undefined || (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)), {
    error: `must be ${what}, starting with http:// or https://`,
  });
}

export const oneOrNothing = optionalText
  .refine((text) => text === undefined || text === '1', { error: 'must be 1, or not set' })
  .transform((text) => text === '1');

/** Separated by commas or spaces. */
export const textList = optionalText.transform((text) => text?.split(/[\s,]+/) ?? []);

export function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

export function unreadable(file: string): string | undefined {
  try {
    readFileSync(file);
    return undefined;
  } catch (error) {
    return `names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
  }
}
