"""Microsoft Teams: an agent's connector calls while it streams a reply, judged call by call.

Reading order: `engine` (the stages), `exchanges` (one record), `answers` (what the service said), `world` (chats and
streams), `assign` (which stream a call belongs to), `tables` (what may follow what), the rule families in the order of
`engine.FAMILIES`, `apply` (the world moves on), `closing` (the end). More is in `docs/architecture.md`.
"""
