'use client';

import type { ClockZone } from '#lib/model/clock-text.ts';
import { Card } from '../account/account-layout.tsx';

export function ReadTokensCard({ zone }: { readonly zone: ClockZone }) {
  return (
    <Card title="Read tokens">
      <p className="text-dim">None yet, in {zone}.</p>
    </Card>
  );
}
