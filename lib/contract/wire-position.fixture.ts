/** Only the place was reported. */
export const wireRecord = {
  public_track_id: 'RX-A-0123456789ABCDEF',
  observed_at: '2026-11-21T10:15:00Z',
  longitude: 8.5,
  latitude: 47.4,
  altitude_m: null,
  height_agl_m: null,
  speed_mps: null,
  heading_deg: null,
  confidence: null,
  confidence_score: null,
  receiver_count: null,
  track_kind: 'adsb_aircraft',
  simulated: false,
  test_broadcast: false,
  emergency_state: null,
  stale_after: '2026-11-21T10:16:00Z',
};
