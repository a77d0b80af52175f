'use client';

export { OverlaysSection } from '../overlays/overlays-section.tsx';
export { CoverageSection } from '../overview/coverage-section.tsx';
export { SavedViewsSection } from '../views/saved-views-section.tsx';
