"""The identity provider of a company, by OpenID Connect: where people are sent, and what it says of them."""
