export const EXPORT_FORMATS = ['csv', 'geojson', 'kml'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
