"""The identity provider of a company, by OpenID Connect: the addresses that people are sent to, and their claims."""
