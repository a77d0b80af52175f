import type { PricedZone } from '#lib/api/watching/zones.ts';
import { kindOf } from '#lib/zones/rule-kinds.ts';

/** `Runway 14/32: Entered` */
export function namingRules(destination: string, zones: readonly PricedZone[]): readonly string[] {
  return zones.flatMap(({ zone }) =>
    zone.rules
      .filter(({ notify, escalate }) => notify.includes(destination) || escalate?.destination === destination)
      .map((rule) => `${zone.name}: ${kindOf(rule).title}`),
  );
}
