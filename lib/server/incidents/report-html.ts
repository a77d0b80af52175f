import 'server-only';
import type { SealedMaterial } from './seal.ts';

export function reportHtml({ incident }: SealedMaterial): string {
  return `<!doctype html><title>${incident.number}</title>`;
}
