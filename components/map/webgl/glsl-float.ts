/** A number as a GLSL float literal: always with a decimal point. */
export function glslFloat(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
