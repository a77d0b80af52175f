/** A number as GLSL writes a float: always with a point. */
export function glslFloat(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
