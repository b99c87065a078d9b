"""Which set of people is a group?"""
