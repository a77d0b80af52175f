import { FEATURE_NAME_MAX_LENGTH, type OverlayProperties } from '#lib/api/overlay.ts';

const WIDTH_MAX_PX = 20;
const NAMES = ['name', 'title', 'Name', 'NAME'] as const;
/** Control characters, and those that change the text direction. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** simplestyle 1.1.0, or togeojson's names for KML; unreadable values are dropped. */
export function overlayProperties(properties: unknown): OverlayProperties {
  const given: Record<string, unknown> = typeof properties === 'object' && properties !== null ? { ...properties } : {};
  const entries = {
    name: NAMES.map((key) => nameOf(given[key])).find((name) => name !== undefined),
    stroke: colourOf(given.stroke),
    'stroke-width': numberOf(given['stroke-width'], WIDTH_MAX_PX),
    'stroke-opacity': numberOf(given['stroke-opacity'], 1),
    fill: colourOf(given.fill),
    'fill-opacity': numberOf(given['fill-opacity'], 1),
    'marker-color': colourOf(given['marker-color'] ?? given['icon-color']),
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const name = String(value).replace(UNPRINTABLE, ' ').trim();
  return name === '' ? undefined : [...name].slice(0, FEATURE_NAME_MAX_LENGTH).join('');
}

function colourOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, hex] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value.trim()) ?? [];
  if (hex === undefined) return undefined;
  return `#${(hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex).toLowerCase()}`;
}

function numberOf(value: unknown, max: number): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return undefined;
  return Math.min(max, Math.round(number * 100) / 100);
}
