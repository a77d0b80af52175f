import { LENGTH_UNIT, SPEED_UNIT, UNIT_SYSTEMS, type UnitSystem } from '#lib/model/units.ts';

/** `m, m/s`: a system of units by what it shows. */
export const UNITS_LABEL = Object.fromEntries(
  UNIT_SYSTEMS.map((system) => [system, `${LENGTH_UNIT[system]}, ${SPEED_UNIT[system]}`]),
) as Readonly<Record<UnitSystem, string>>;
