import type { PricedZone } from '#lib/api/watching/zones.ts';
import { RULE_KIND_TEXT } from '../zones/rule-text.ts';

/** `Runway 14/32: Entered` */
export function namingRules(destination: string, zones: readonly PricedZone[]): readonly string[] {
  return zones.flatMap(({ zone }) =>
    zone.rules
      .filter(({ notify, escalate }) => notify.includes(destination) || escalate?.destination === destination)
      .map(({ kind }) => `${zone.name}: ${RULE_KIND_TEXT[kind]}`),
  );
}
