'use client';

import './legend.css';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useId, useState } from 'react';
import { useLayersOn, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { ColourScales } from './colour-scales.tsx';

const MarksLegend = onDemand('What the marks mean', () =>
  import('./marks-legend.tsx').then((module) => module.MarksLegend),
);

/** Renders nothing while the operator has hidden it. */
export function Legend() {
  const [{ units, legendOpen }] = usePreferences();
  const colouring = useValue(useLookout().colouring);
  const [layersOn] = useLayersOn();
  const [isWhole, setWhole] = useState(false);
  const marksId = useId();
  if (!legendOpen) return null;
  const Chevron = isWhole ? ChevronDown : ChevronUp;
  return (
    <section aria-label="Legend" data-testid="legend" className="legend">
      {isWhole && <MarksLegend id={marksId} />}
      <div className="legend-scales">
        <ColourScales colouring={colouring} units={units} layersOn={layersOn} />
        <Button
          look="quiet"
          shape="small-text"
          aria-expanded={isWhole}
          aria-controls={isWhole ? marksId : undefined}
          onClick={() => setWhole(!isWhole)}
        >
          <Chevron aria-hidden size={13} />
          <span className="legend-word">Marks</span>
        </Button>
      </div>
    </section>
  );
}
