/** Whether people sign in here, and the addresses for it. The server says so in the page; without it nothing is asked. */
export const hasPeople = "people" in document.documentElement.dataset;

/** Where to sign in, and come back from to this place of the page. */
export function signInAddress(place = location.hash.slice(1)) {
  const address = new URL("auth/sign-in", document.baseURI);
  if (place && !place.startsWith("/sign-in")) address.searchParams.set("next", place);
  return address.href;
}
