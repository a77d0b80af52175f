'use client';

export { OverlaysSection } from '../overlays/overlays-section.tsx';
export { SavedViewsSection } from '../views/saved-views-section.tsx';
