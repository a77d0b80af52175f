/** Newest first: readsb, older dump1090 and uat2json, others. */
export const ALTITUDE_NAMES = ['alt_baro', 'altitude', 'alt'] as const;
export const SPEED_NAMES = ['gs', 'speed', 'spd'] as const;
export const TRACK_NAMES = ['track', 'heading'] as const;

const NAMES_READ =
  'hex type lat lon seen_pos alt_geom true_heading category emergency squawk mlat tisb rc nucp dbFlags uat_version ' +
  'validposition validtrack';

/** Known but not served: names, equipment, radio, rates, computed values, the receiver's place. */
const NAMES_LEFT =
  'now flight r t desc ownOp year noRegData ias tas mach wd ws oat tat track_rate roll mag_heading calc_track ' +
  'baro_rate geom_rate vert_rate nav_qnh nav_altitude_mcp nav_altitude_fms nav_heading nav_modes nic version ' +
  'nic_baro nac_p nac_v sil sil_type gva sda alert spi messages seen rssi signal lastPosition rr_lat rr_lon r_dst ' +
  'r_dir dst dir acas_ra gpsOkBefore gpsOkLat gpsOkLon rId recentReceiverIds receiverCount modea modec addrtype';

export const AIRCRAFT_FIELDS: ReadonlySet<string> = new Set([
  ...[...ALTITUDE_NAMES, ...SPEED_NAMES, ...TRACK_NAMES],
  ...`${NAMES_READ} ${NAMES_LEFT}`.split(' '),
]);
