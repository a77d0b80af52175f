import type { NewZone } from '#lib/api/watching/zones.ts';
import { addZones } from '#lib/client/zones/zones-query.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { ImportAnswers, ImportedZone, ZoneImport } from '#lib/zones/formats/import-report.ts';

export interface ImportedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly importedAt: string;
}

export interface ImportLimits {
  readonly answers: ImportAnswers;
  /** Only zones that touch it. */
  readonly withinBbox?: Bbox | undefined;
}

/** Loads the readers with the first file. */
export async function readZoneFile(
  { name, bytes, importedAt }: ImportedFile,
  { answers, withinBbox }: ImportLimits,
): Promise<ZoneImport> {
  const { importZones } = await import('#lib/zones/formats/import-zones.ts');
  const parseXml = (xml: string) => new DOMParser().parseFromString(xml, 'text/xml');
  return importZones({
    file: { bytes, parseXml },
    name,
    importedAt,
    answers,
    ...(withinBbox && { withinBbox }),
  });
}

export interface ImportChoice {
  readonly shared: boolean;
  /** Rules of zones that have none. */
  readonly rules: NewZone['rules'];
}

/** All or nothing. @throws the server's refusal */
export function saveImport(drafts: readonly ImportedZone[], { shared, rules }: ImportChoice): Promise<void> {
  return addZones(
    drafts.map((draft) => ({
      ...draft,
      shared,
      rules: draft.rules.length > 0 ? [...draft.rules] : rules,
      permits: [],
      history_requests_a_day: 0,
    })),
  );
}
