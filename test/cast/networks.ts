/** Strangers' addresses, for CF-Connecting-IP: locally a client may say it itself. `n`: of the /24 network. */
export const addressIn = (n: number): string => `100.${64 + ((n >> 8) & 63)}.${n & 255}.1`;
