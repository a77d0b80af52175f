'use client';

// The first sections of the View tab: loaded in one piece.
export { OverlaysSection } from '../overlays/overlays-section.tsx';
export { SavedViewsSection } from '../views/saved-views-section.tsx';
