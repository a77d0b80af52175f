import 'server-only';
import type { SealedMaterial } from './sealed-material.ts';

export function reportHtml({ incident }: SealedMaterial): string {
  return `<!doctype html><title>${incident.number}</title>`;
}
