'use client';

// What the View tab begins with: loaded in one piece.
export { OverlaysSection } from '../overlays/overlays-section.tsx';
export { SavedViewsSection } from '../views/saved-views-section.tsx';
