import 'server-only';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { DemandProfile } from './demand-profile.ts';

const SAVE_EVERY_MS = 10 * MINUTE_MS;

/** A demand profile that survives a restart. A file that is missing or damaged costs what was learnt, and nothing else. */
export function keptDemandProfile(file: string): DemandProfile {
  const profile = new DemandProfile(savedParts(file));
  let written = '';
  setInterval(() => {
    const text = JSON.stringify(profile.saved());
    if (text === written) return;
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    written = text;
  }, SAVE_EVERY_MS).unref();
  return profile;
}

function savedParts(file: string): readonly number[] | undefined {
  try {
    const saved: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(saved) ? saved : undefined;
  } catch {
    return undefined;
  }
}
