export type AirportSize = 'large' | 'medium' | 'small';

/** ICAO code, longitude and latitude (WGS84 degrees), elevation (m), runway direction (degrees), size. */
export type AirportRow = readonly [string, number, number, number, number, AirportSize];
